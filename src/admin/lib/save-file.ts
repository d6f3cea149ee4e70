/** Hands a file to the browser, as if it had been a link. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken it by then; a revoked address would end what is still being written.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
