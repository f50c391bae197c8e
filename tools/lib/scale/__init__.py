"""heist-scale: a scaling study of any program. The page, the tables and the comparison are those of tools/sweep (the
package `report`): a study is a report whose rows are of the user's program."""
