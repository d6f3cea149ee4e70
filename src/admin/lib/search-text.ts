/** Lower case and without accents, so that "conteiner" finds "Contêiner". */
function foldText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** True when every word of the search occurs in one of the texts. */
export function matchesSearch(search: string, texts: readonly (string | null)[]): boolean {
  const haystack = foldText(texts.join('\n'))
  return foldText(search)
    .split(/\s+/)
    .every((word) => haystack.includes(word))
}
