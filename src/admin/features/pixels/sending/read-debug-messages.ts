export interface DebugMessage {
  /** Where in the payload, as Google writes it; empty where it does not say. */
  field: string
  /** In Portuguese where the code is known. */
  meaning: string
  /** As Google wrote it. */
  text: string
}

const MEANINGS: Readonly<Record<string, string>> = {
  VALUE_REQUIRED: 'Falta um valor obrigatório.',
  VALUE_INVALID: 'Um valor não é aceito.',
  VALUE_OUT_OF_BOUNDS: 'Um valor passa do limite.',
  NAME_INVALID: 'Um nome não é aceito.',
  NAME_RESERVED: 'O nome é reservado pelo Google.',
  EXCEEDED_MAX_ENTITIES: 'Há itens demais.',
  NAME_DUPLICATED: 'Um nome aparece duas vezes.',
}

/** What Google's debug endpoint found in an event; empty for every other answer. */
export function readDebugMessages(body: string): DebugMessage[] {
  const answer = parse(body)
  const found = isRecord(answer) && Array.isArray(answer.validationMessages) ? answer.validationMessages : []
  return found.filter(isRecord).map(({ fieldPath, description, validationCode }) => ({
    field: typeof fieldPath === 'string' ? fieldPath : '',
    meaning: MEANINGS[String(validationCode)] ?? 'O Google apontou um problema.',
    text: typeof description === 'string' ? description : '',
  }))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
