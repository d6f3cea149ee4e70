export const TRASH_KEY = ['trash'] as const
