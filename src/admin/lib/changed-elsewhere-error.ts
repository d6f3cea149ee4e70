/** Thrown when somebody else saved this row after it was opened here. */
export class ChangedElsewhereError<T> extends Error {
  /** The row as it is stored now. */
  readonly theirs: T

  constructor(theirs: T) {
    super('the row was changed elsewhere')
    this.name = 'ChangedElsewhereError'
    this.theirs = theirs
  }
}
