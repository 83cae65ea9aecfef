//! Plays candidate against champion; publishes verdicts and ratings.
