/** The code of a screen did not come: the server is away, or has another version by now. Only a new page helps. */
export class ScreenNotLoaded extends Error {
  override readonly name = 'ScreenNotLoaded'

  constructor(cause: unknown) {
    super('the code of a screen could not be loaded', { cause })
  }
}
