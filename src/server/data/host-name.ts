const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
const MAX_LENGTH = 253

/** A plain name of a host, lower case: no scheme, port, path, address or wildcard, for it is written into a policy. */
export function isHostName(text: string): boolean {
  const labels = text.split('.')
  return (
    text.length <= MAX_LENGTH &&
    labels.length >= 2 &&
    labels.every((label) => LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  )
}
