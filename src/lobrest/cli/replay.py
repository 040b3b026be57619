"""``lobrest replay``: the completed flows of the logs, once."""

from __future__ import annotations

from lobrest.cli.against import Against, AgainstAuth
from lobrest.cli.options import (
    AsJson,
    Config,
    Format,
    LeadTime,
    LogsArgument,
    NoColor,
    ProfileOption,
    Quiet,
    ResourcesFile,
    SpecArgument,
    WindowTime,
)
from lobrest.cli.run import (
    Auth,
    Cleanup,
    CleanupBeyond,
    CleanupTime,
    Concurrency,
    IKnow,
    Out,
    Rate,
    SeedNumber,
    Target,
    run,
)
from lobrest.fuzz.state import Depth


def replay(
    spec: SpecArgument = None,
    logs: LogsArgument = None,
    target: Target = None,
    against: Against = None,
    auth: Auth = None,
    against_auth: AgainstAuth = None,
    out: Out = None,
    rate: Rate = None,
    concurrency: Concurrency = None,
    seed: SeedNumber = None,
    log_format: Format = None,
    profile: ProfileOption = None,
    mlt: LeadTime = None,
    stw: WindowTime = None,
    resources: ResourcesFile = None,
    cleanup: Cleanup = False,
    cleanup_time: CleanupTime = None,
    cleanup_beyond: CleanupBeyond = None,
    i_know: IKnow = False,
    config: Config = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Play the completed flows of the logs once, without mutation; with --against on two services."""
    run(
        spec=spec,
        logs=logs,
        target=target,
        time="24h",
        seed=seed,
        auth=auth,
        out=out,
        rate=rate,
        concurrency=concurrency,
        stages=Depth.ENHANCED,
        log_format=log_format,
        profile=profile,
        mlt=mlt,
        stw=stw,
        resources=resources,
        cleanup=cleanup,
        cleanup_time=cleanup_time,
        cleanup_beyond=cleanup_beyond,
        i_know=i_know,
        against=against,
        against_auth=against_auth,
        config=config,
        as_json=as_json,
        quiet=quiet,
        no_color=no_color,
    )
