"""One record a case, as one line of JSON; the folder of a run; reading them back."""
