import { CONVERSION_EVENT, type ConversionName } from '../shared/announce-conversion.ts'
import { randomId } from '../shared/random-id.ts'

/** One thing that a visitor did: links carry its name in `data-conversion`, islands announce it. */
export interface Conversion {
  name: ConversionName
  /** One per conversion, the same for every tag, so that a vendor can tell a copy from a second one. */
  id: string
}

/** Calls `onConversion` once for each thing done, however it was done. */
export function watchConversions(onConversion: (conversion: Conversion) => void): void {
  const clicked = (event: MouseEvent) => {
    // The second click of a double click is the same decision, and a right click is none.
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
