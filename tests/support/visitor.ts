/** Elements are found by role and accessible name. */
export type Role = 'button' | 'link' | 'switch'

export type PressedKey = 'Tab' | 'Escape' | 'Enter' | 'Home' | 'ArrowLeft' | 'ArrowRight'

/** What a journey needs of any browser. Each visitor is new: no cookies, nothing cached. */
export interface Visitor {
  /** Resolves once the page has loaded. */
  goto(url: string): Promise<void>
  reload(): Promise<void>
  /** The page's size, without browser chrome. */
  resize(width: number, height: number): Promise<void>
  /** Clicks the visible one, as soon as there is one. */
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
