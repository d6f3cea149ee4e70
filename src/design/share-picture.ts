import { COLORS, DRAWING_COLORS } from './colors.ts'

const METHODS = {
  card: 'M-14-10h28v20h-28zm0 6h28',
  debit: 'M-14-10h28v20h-28zm6 6h6v6h-6z',
  pix: 'm0-13 13 13L0 13-13 0zM-6-6 0 0l6-6M-6 6 0 0l6 6',
}

interface SharePictureWords {
  /** Null if the brand's name is unknown when the picture is drawn. */
  name: string | null
  headline: readonly string[]
}

/**
 * The picture of a shared link, 1200 × 630: the hero with its text, in the typeface that `draw-pictures.ts` supplies.
 */
export function sharePictureSvg({ name, headline }: SharePictureWords): string {
  const brand =
    name === null
      ? ''
      : `<g transform="translate(80 72) scale(2)"><path fill="${COLORS.onInk}" d="M0 28V13a13 13 0 0 1 26 0v15h-6V13a7 7 0 0 0-14 0v15z"/><path fill="${COLORS.accent}" d="M9 28V13a4 4 0 0 1 8 0v15z"/></g><text x="152" y="120" font-size="46" letter-spacing="-1.6">${escapeXml(name)}</text>`
  const lines = headline.map(
    (line, index) => `<text x="76" y="${252 + index * 80}" font-size="78">${escapeXml(line)}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630" fill="none">
<rect width="1200" height="630" fill="${COLORS.ink}"/>
<g transform="translate(900 590) scale(.88)">
<g stroke="${COLORS.surface}" stroke-width="1.5"><path stroke-opacity=".2" d="M-290 0v-260a290 290 0 0 1 580 0V0"/><path stroke-opacity=".12" d="M-372 0v-260a372 372 0 0 1 744 0V0"/><path stroke-opacity=".07" d="M-462 0v-260a462 462 0 0 1 924 0V0"/></g>
<path d="M-226 0v-260a226 226 0 0 1 452 0V0z" fill="${COLORS.ink2}"/><path d="M-170 0v-260a170 170 0 0 1 340 0V0z" fill="${COLORS.accent}"/>
<path d="M-230-270h60m-60 100h60m-230 100h230" stroke="${COLORS.surface}" stroke-opacity=".25" stroke-width="2"/><path d="M-170-270h340m-340 100h340m-340 100h340" stroke="${COLORS.ink}" stroke-opacity=".25" stroke-width="2"/><path d="M170-270h430m-430 100h430m-430 100h430" stroke="${COLORS.accent}" stroke-width="2"/>
${payment('card', 0, -270, 'inside')}${payment('debit', 228, -170, 'after')}${payment('pix', -212, -70, 'before')}${payment('pix', 48, -70, 'inside')}
</g>
<path d="M0 590h1200v40H0z" fill="${COLORS.paper}"/><path d="M750 590h300l53 40H697z" fill="${DRAWING_COLORS.lightOnFloor}"/>
<g font-family="Instrument Sans" font-weight="600" fill="${COLORS.onInk}" letter-spacing="-2.8">${brand}${lines.join('')}</g>
</svg>`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function payment(
  method: keyof typeof METHODS,
  x: number,
  y: number,
  zone: 'before' | 'inside' | 'after',
): string {
  const look = {
    before: { fill: COLORS.ink2, edge: COLORS.ink3, line: COLORS.onInk2 },
    inside: { fill: COLORS.ink, edge: COLORS.ink, line: COLORS.accent },
    after: { fill: COLORS.paper, edge: COLORS.paper, line: COLORS.text2 },
  }[zone]
  const end =
    zone === 'after'
      ? `<circle cx="72" r="13" fill="${COLORS.ok}"/><path d="m66 0 5 5 8-9" stroke="${COLORS.surface}" stroke-width="3"/>`
      : `<circle cx="72" r="11" stroke="${look.line}" stroke-width="2.5" stroke-dasharray="3.6 3.3"/>`
  return `<g transform="translate(${x} ${y})"><rect x="-104" y="-34" width="208" height="68" rx="15" fill="${look.fill}" stroke="${look.edge}" stroke-width="1.5"/><path transform="translate(-68 0)" d="${METHODS[method]}" stroke="${look.line}" stroke-width="2.5"/><path d="M-34-8h66M-34 10h40" stroke="${look.line}" stroke-width="6" stroke-linecap="round"/>${end}</g>`
}
