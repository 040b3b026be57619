"""Which parameters are secret, by name or by what they look like, and which values a log hides."""

from __future__ import annotations

import re
from typing import Final

_NAME = re.compile(
    r"passw|passphrase|\bpwd\b|_pwd|secret|credential|authorization|private_?key|api_?key|access_?key|client_?key"
    r"|(?:^|[_\-./])(?:\w*_)?token$|_token\b|\btoken\b|jwt|otp|session_?id|cookie|signature|^pin$|cvv|card_?number|iban|ssn",
    re.IGNORECASE,
)
_NOT_SECRET = re.compile(
    r"(?:_id|_type|_name|_count|_at|_in|_url|_enabled|_required|_length|_only|_scopes?|_expir\w*|_key_?id|ids|names)$"
    r"|^(?:secret_name|token_type|next_page_token|page_token|continuation_?token|include|sort)$",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"(?:^|_)(?:passwords|secrets|api_?keys|(?<!max_)(?<!min_)tokens)$", re.IGNORECASE)
_NUMBER = re.compile(r"passw|passcode|\bpin\b|otp|cvv|card_?number|ssn|iban", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
HIDDEN_TEXTS: Final = frozenset(
    {"[FILTERED]", "[REDACTED]", "REDACTED", "<redacted>", "<REDACTED>", "***", "****", "*****", "******",
    "********",
     "[MASKED]", "[secret]", "<hidden>", "XXXXX", "xxxxx", "[HIDDEN]"}
)  # fmt: skip
_URL_CREDENTIALS = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@", re.IGNORECASE)
_PLAIN = re.compile(r"[a-z0-9 /.:~+%-]+$")
"""Slugs, ids and hashes: every known shape of a credential has capitals, underscores or one of these beginnings."""
_LOWER_PREFIXES = ("xox", "gl", "gh", "sk-", "pypi-", "ey")
_SHORTEST = 12
_LONGEST = 8192


def is_secret_name(name: str) -> bool:
    """Does a parameter of that name hold a secret? ``token_id`` and ``secret_name`` do not."""
    plain = _CAMEL.sub("_", name)
    if _PLURAL.search(plain) is not None:
        return True
    return _NAME.search(plain) is not None and _NOT_SECRET.search(plain) is None


def is_secret_number(name: str) -> bool:
    """Does a number of that name hold a secret? One of tokens is a count, one of a password is not."""
    return _NUMBER.search(_CAMEL.sub("_", name)) is not None


def is_hidden(text: str) -> bool:
    """Was the value filtered, masked or bent by the logger?"""
    if text in HIDDEN_TEXTS or "[FILTERED]" in text or "\ufffd" in text:
        return True
    return len(text) > 2 and text.strip("*") == ""


class SecretFinder:
    """Looks at values with the detectors of ``detect-secrets`` that know a shape.

    Its entropy detectors are left out: ids and hashes, which must stay linkable, are random too.
    """

    def __init__(self) -> None:
        # The library is loaded with the first value that needs it: most logs have none.
        self._detectors: tuple[re.Pattern[str], ...] | None = None
        self._known: dict[str, bool] = {}

    def is_secret(self, value: str) -> bool:
        """Does the value look like a credential?"""
        if not _SHORTEST <= len(value) <= _LONGEST:
            return False
        known = self._known.get(value)
        if known is None:
            if len(self._known) > 20_000:
                self._known.clear()
            known = self._known[value] = self._look(value)
        return known

    def _look(self, value: str) -> bool:
        if "://" in value and _URL_CREDENTIALS.search(value):
            return True
        if _PLAIN.match(value) and not value.startswith(_LOWER_PREFIXES):
            return False
        if self._detectors is None:
            self._detectors = _patterns()
        return any(pattern.search(value) for pattern in self._detectors)


def _patterns() -> tuple[re.Pattern[str], ...]:
    from detect_secrets.plugins import (  # 100 ms that a log without bodies never pays
        aws,
        azure_storage_key,
        discord,
        github_token,
        gitlab_token,
        jwt,
        mailchimp,
        npm,
        openai,
        private_key,
        pypi_token,
        sendgrid,
        slack,
        square_oauth,
        stripe,
        telegram_token,
        twilio,
    )

    detectors = (
        aws.AWSKeyDetector, azure_storage_key.AzureStorageKeyDetector, discord.DiscordBotTokenDetector,
        github_token.GitHubTokenDetector, gitlab_token.GitLabTokenDetector, jwt.JwtTokenDetector,
        mailchimp.MailchimpDetector, npm.NpmDetector, openai.OpenAIDetector, private_key.PrivateKeyDetector,
        pypi_token.PypiTokenDetector, sendgrid.SendGridDetector, slack.SlackDetector,
        square_oauth.SquareOAuthDetector,
        stripe.StripeDetector, telegram_token.TelegramBotTokenDetector, twilio.TwilioKeyDetector,
    )  # fmt: skip
    return tuple(pattern for detector in detectors for pattern in detector.denylist)
