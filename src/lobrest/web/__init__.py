"""The dashboard: a campaign, or several, to look at and to steer from a browser on the same machine."""
