/** Data in the page that no browser runs. `<` is escaped so that no value can end the element early. */
export function JsonLd({ value }: { value: object }) {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c')
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON whose "<" is escaped, in an element that is not run.
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />
}
