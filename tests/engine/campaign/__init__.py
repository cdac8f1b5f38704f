"""Campaigns: what they prove, keep, certify and estimate."""
