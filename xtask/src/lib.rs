//! Repository chores and the tests for layers and tidiness.
