"""Packages of Debian."""


def combine_comments(comments):
    """Comments, which may be one text or a list, as one line."""
    if isinstance(comments, str):
        return comments.strip()
    return " ".join(str(comment).strip() for comment in comments)


def strip_uri(repo):
    """A line of a repository whose URI does not end with a slash."""
    words = repo.split()
    return " ".join(word.rstrip("/") if "://" in word else word for word in words)
