/**
 * The colours of `tokens.css` for what cannot use custom properties: attributes of drawings, pictures, email,
 * manifests. A test compares the two.
 */
export const COLORS = {
  ink: '#0b201b',
  ink2: '#13302a',
  ink3: '#5f7a70',
  onInk: '#f6f6f0',
  onInk2: '#b4c2bb',
  paper: '#f6f6f0',
  surface: '#fff',
  line: '#dddfd6',
  line2: '#7d8983',
  text2: '#44534d',
  accent: '#ffc93c',
  ok: '#0b6b45',
  bad: '#a8201a',
} as const

/** Shades that only drawings use. */
export const DRAWING_COLORS = {
  pastDay: '#e6e8df',
  blockedLine: '#c3c9be',
  meridian: '#b9c0b4',
  lightOnFloor: '#ffefbd',
} as const
