import type { Role } from './visitor.ts'

/** Elements that may have a role: the drivers of Firefox and WebKit find by selector. */
export const ROLE_SELECTORS: Record<Role, string> = {
  button: 'button, [role=button]',
  link: 'a[href]',
  switch: '[role=switch]',
}

/** Runs in the page. */
export function shownAndNamed(selector: string, name: string): Element | null {
  const nameOf = (element: Element) => {
    if (element.ariaLabel !== null) return element.ariaLabel
    const copy = element.cloneNode(true) as Element
    for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove()
    return copy.textContent
  }
  const isIt = (element: Element) => element.getClientRects().length > 0 && nameOf(element).trim() === name
  return Array.from(document.querySelectorAll(selector)).find(isIt) ?? null
}
