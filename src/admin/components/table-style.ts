/** A row of a table, or a card on a phone; `off` and `on` are the states that its feature gives it. */
export const ROW =
  'border-line transition-colors max-md:border-t md:*:border-t md:*:border-line hover:bg-[#fafaf6] max-md:grid max-md:items-center max-md:gap-x-4 max-md:gap-y-1 max-md:py-3.5 max-md:pr-2 max-md:pl-4 max-md:first:border-t-0'
export const CELL = 'px-3 py-2.5 md:first:pl-5 md:last:pr-3 max-md:p-0'
/** On a phone a cell carries its column's name with it. */
export const LABELLED_CELL = `${CELL} max-md:self-start max-md:pt-1.5 max-md:text-[0.9375rem] max-md:wrap-anywhere max-md:before:block max-md:before:font-sans max-md:before:text-xs/5 max-md:before:text-text-2 max-md:before:content-[attr(data-label)]`
