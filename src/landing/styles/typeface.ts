/** How a script asks for the typeface (styles/after-first-frame.css), in the grammar of CSS's `font`. One file holds every weight. */
export const TYPEFACE = '1em Instrument'

/** Class of the root element once the typeface is applied (styles/after-first-frame.css). */
export const TYPEFACE_CLASS = 'typeset'
