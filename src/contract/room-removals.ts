/** Why the page removed the frame of an isolated tag: what it did to the page, and no fault of being isolated. */
export const ROOM_REMOVALS = {
  document: 'isolated_document',
  flood: 'isolated_flood',
  nested: 'isolated_nested',
  focus: 'isolated_focus',
} as const

const TEXTS: Readonly<Record<string, string>> = {
  [ROOM_REMOVALS.document]: 'a tag isolada tentou trocar o seu próprio documento e foi retirada',
  [ROOM_REMOVALS.flood]: 'a tag isolada mandou mensagens demais à página e foi retirada',
  [ROOM_REMOVALS.nested]: 'um quadro aberto pela tag isolada mandou mensagens à página, e a tag foi retirada',
  [ROOM_REMOVALS.focus]: 'a tag isolada tentou tomar o teclado da página e foi retirada',
}

/** What a tag's report gives as its error, in words where it is one of ours. */
export function describeRemoval(error: string): string | undefined {
  return TEXTS[error]
}
