/** A row of a table, or a card where there is no room for one (`card:`). */
export const ROW = 'table-row-or-card'
export const CELL = 'table-cell-or-line'
/** In a card a cell carries its column's name with it. */
export const LABELLED_CELL = 'table-cell-or-line labelled-cell'
