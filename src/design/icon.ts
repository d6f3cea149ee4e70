import { COLORS } from './colors.ts'
/**
 * The logo on its dark tile, for the browser's tab and a phone's home screen. `bleed` leaves the rounding to the
 * system.
 */
export function iconSvg({ bleed }: { bleed: boolean }): string {
  const size = bleed ? 52 : 44
  const [x, y] = [(26 - size) / 2, (28 - size) / 2]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${x} ${y} ${size} ${size}"><rect x="${x}" y="${y}" width="${size}" height="${size}"${bleed ? '' : ' rx="10"'} fill="${COLORS.ink}"/><path fill="${COLORS.paper}" d="M0 28V13a13 13 0 0 1 26 0v15h-6V13a7 7 0 0 0-14 0v15z"/><path fill="${COLORS.accent}" d="M9 28V13a4 4 0 0 1 8 0v15z"/></svg>`
}
