"""Whoever works in a cluster besides its API server: controllers, kubelets and schedulers, in short form.

They look at what is there and do the next thing, as the real ones do; none of them remembers anything.
Time comes in as an argument, randomness is the store's, so the same beginning has the same end.
"""
