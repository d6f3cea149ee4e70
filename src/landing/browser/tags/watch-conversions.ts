import { CONVERSION_EVENT, type ConversionName, randomId } from '../shared/page.ts'

/** One action of a visitor: links name it in `data-conversion`, islands dispatch it. */
export interface Conversion {
  name: ConversionName
  /** One per conversion, the same for every tag, so that vendors can detect duplicates. */
  id: string
}

/** Calls `onConversion` once per action. */
export function watchConversions(onConversion: (conversion: Conversion) => void): void {
  const clicked = (event: MouseEvent) => {
    // The second click of a double click is the same action, and a right click is none.
    if (event.detail > 1 || event.button > 1) return
    const name = (event.target as Element).closest<HTMLElement>('[data-conversion]')?.dataset.conversion
    if (name !== undefined) onConversion({ name: name as ConversionName, id: randomId() })
  }
  addEventListener('click', clicked)
  addEventListener('auxclick', clicked)
  document.addEventListener(CONVERSION_EVENT, (event) => {
    const { name } = (event as CustomEvent<{ name: ConversionName }>).detail
    onConversion({ name, id: randomId() })
  })
}
