interface Row {
  id: string
}

/** A list with this row in it: in its place when it was there, else first, for lists are newest first. */
export function putRow<T extends Row>(rows: readonly T[], row: T): T[] {
  return rows.some(({ id }) => id === row.id)
    ? rows.map((old) => (old.id === row.id ? row : old))
    : [row, ...rows]
}
