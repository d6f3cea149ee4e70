/** Runs in the page: the field of a label. */
export function fieldLabelled(label: string): HTMLInputElement | null {
  const fields = Array.from(document.querySelectorAll<HTMLInputElement>('input, textarea'))
  const isNamed = (field: HTMLInputElement) =>
    field.ariaLabel === label || Array.from(field.labels ?? []).some((each) => each.textContent === label)
  return fields.find((field) => isNamed(field) && field.getClientRects().length > 0) ?? null
}
