interface InertJsonProps {
  id?: string
  type: 'application/json' | 'application/ld+json'
  value: unknown
}

/** Data in the page that no browser runs. `<` is escaped so that no value can end the element early. */
export function InertJson({ id, type, value }: InertJsonProps) {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c')
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON whose "<" is escaped, in an element that is not run.
  return <script id={id} type={type} dangerouslySetInnerHTML={{ __html: json }} />
}
