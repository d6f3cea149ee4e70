import { ADMIN_BOOT_ELEMENT_ID, type AdminBoot } from '#contract/admin-page.ts'

/** Reads what the server wrote into the page and removes it, so that nothing finds a session there later. */
export function takeBoot(): AdminBoot {
  const element = document.getElementById(ADMIN_BOOT_ELEMENT_ID)
  if (element === null) throw new Error(`the page has no #${ADMIN_BOOT_ELEMENT_ID}`)
  element.remove()
  return JSON.parse(element.textContent ?? '')
}
