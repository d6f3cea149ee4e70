/** The code of a screen, or of a part of one, did not come: the server is away, or has another version by now. */
export class ScreenNotLoaded extends Error {
  override readonly name = 'ScreenNotLoaded'
  /** The next time it is shown, it is asked for again; not every browser does ask again, and there only a new page helps. */
  readonly forget: () => void

  constructor(cause: unknown, forget: () => void) {
    super('the code of a screen could not be loaded', { cause })
    this.forget = forget
  }
}
