"""What is asked: fixtures → cases. Pure: no pytest, no network.

=================  ====================================================================================
``data``           finds and reads the TOML files; every mistake in them is a :class:`~.data.DataError`
``model``          quantity, question, redefinition, case: plain frozen data
``catalogue``      everything that can be asked, enumerated; imports no SymPy
``prompts``        the wording templates and their placeholders
``wording``        a case → the messages that a model gets
``expressions``    the little language of values and answers in the data
``derive``         expressions → answers; the only module that works with SymPy
``decimals``       answers as decimal strings
``truth``          what an answer is compared with
``truths``         a case → its truth, derived once and kept on disk
=================  ====================================================================================
"""
