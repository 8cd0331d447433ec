"""The panels of the main screen: each shows rows it is given and owns cursor and scroll."""
