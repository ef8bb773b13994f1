"""What is asked: fixtures → cases. Pure: no pytest, no network.

====================  =================================================================================
``data``              finds and reads the TOML files; every mistake in them is a :class:`~.data.DataError`
``model``             quantity, question, redefinition, case: plain frozen data
``tables``            the tasks' files → quantities
``catalogue``         everything that can be asked, enumerated; imports no SymPy or Pint
``expressions``       the little languages of values and answers in the data
``unit_system``       what units are worth when one of them is redefined; only text
``constant_answers``  expressions → answers, by SymPy
``unit_answers``      expressions → answers, by Pint
``derive``            quantities → all answers, and what slips lead to
``answers``           the same, derived once and kept on disk
``decimals``          answers as decimal strings
``slips``             multiple choice: which values are offered
``options``           multiple choice: under which letters
``examples``          few shot: which worked examples are shown
``prompts``           the wording templates and their placeholders
``wording``           numbers, units, redefinitions, questions, options as people write them
``script``            a case → the messages that a model gets
``truth``             what an answer is compared with
``truths``            a case → its truth and its messages: what the plugin asks for
``templates``         fresh cases: other names, and questions with gaps
``strategies``        fresh cases: what Hypothesis draws; public, and imported only to draw
``estimate``          fresh cases: answers by floating point
``posed``             fresh cases: which draws can be asked
``fresh``             fresh cases: a seed → draws
``drawn``             fresh cases: a draw's parameters, and a catalogue in which they hold
``drawn_truths``      fresh cases: their truths and messages
``dose``              draws at given distances from the ordinary value
``readings``          docs/readings.md, written from the data
====================  =================================================================================
"""
