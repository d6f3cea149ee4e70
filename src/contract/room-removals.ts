/** Why the page removed the frame of an isolated tag: what it did to the page, and no fault of being isolated. */
export const ROOM_REMOVALS = {
  document: 'A tag isolada tentou trocar o seu próprio documento e foi retirada.',
  flood: 'A tag isolada mandou mensagens demais à página e foi retirada.',
  focus: 'A tag isolada tentou tomar o teclado da página e foi retirada.',
} as const
