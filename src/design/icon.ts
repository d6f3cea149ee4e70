/** The mark on its dark tile, as the browser's tab and a phone's home screen show it. `bleed` leaves the rounding to the system. */
export function iconSvg({ bleed }: { bleed: boolean }): string {
  const scale = bleed ? 0.62 : 0.72
  const width = 26 * scale
  const height = 28 * scale
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32"${bleed ? '' : ' rx="7"'} fill="#0b201b"/><g transform="translate(${(32 - width) / 2} ${(32 - height) / 2})scale(${scale})"><path fill="#f6f6f0" d="M0 28V13a13 13 0 0 1 26 0v15h-6V13a7 7 0 0 0-14 0v15z"/><path fill="#ffc93c" d="M9 28V13a4 4 0 0 1 8 0v15z"/></g></svg>`
}
