//! The order of day and month in dates written in figures.

use crate::closed_list;

closed_list! {
    /// The order of day and month in a date written in figures.
    pub enum DayOrder, "order of day and month" {
        /// 24.11. or 24/11
        DayFirst = "dayFirst",
        /// 11/24
        MonthFirst = "monthFirst",
    }
}

impl DayOrder {
    /// The order that it is not.
    pub fn other(self) -> Self {
        match self {
            Self::DayFirst => Self::MonthFirst,
            Self::MonthFirst => Self::DayFirst,
        }
    }
}
