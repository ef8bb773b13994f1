"""Who answers: LiteLLM, the embedded model, simulated ones; the gateway that asks them; the store of replies."""
