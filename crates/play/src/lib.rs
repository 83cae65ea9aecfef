//! Players, one game, paired matches, openings.
