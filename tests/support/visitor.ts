/** Elements are found as people find them: by what they are and what they are called. */
export type Role = 'button' | 'link' | 'switch'

export type PressedKey = 'Tab' | 'Escape' | 'Enter' | 'Home' | 'ArrowLeft' | 'ArrowRight'

/** What a journey needs of a browser, whichever it is. Each visitor is new: no cookies, nothing cached. */
export interface Visitor {
  /** Resolves once the page has loaded. */
  goto(url: string): Promise<void>
  reload(): Promise<void>
  /** The page's size, without what the browser has around it. */
  resize(width: number, height: number): Promise<void>
  /** Presses the one that is shown, as soon as there is one. */
  click(role: Role, name: string): Promise<void>
  /** Types into the field with that label. */
  type(label: string, text: string): Promise<void>
  press(key: PressedKey): Promise<void>
  evaluate<Result, Argument = undefined>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument?: Argument,
  ): Promise<Result>
  screenshot(): Promise<Uint8Array>
  close(): Promise<void>
}

export interface BrowserEngine {
  newVisitor(): Promise<Visitor>
  close(): Promise<void>
}
