import { announceConversion } from '../shared/announce-conversion.ts'

/** On a page under test a conversion is tried, not made: links stay here, and no address is subscribed. */
export function keepOnPage(): void {
  for (const click of ['click', 'auxclick']) {
    addEventListener(click, (event) => {
      if ((event.target as Element).closest('[data-conversion]') !== null) event.preventDefault()
    })
  }
  addEventListener(
    'submit',
    (event) => {
      event.preventDefault()
      event.stopImmediatePropagation()
      announceConversion('sign_up')
    },
    true,
  )
}
