import type { PostgrestError } from '@supabase/postgrest-js'
import { RequestError } from './request-error.ts'

interface Answer<T> {
  data: T
  error: PostgrestError | null
  status: number
}

/** The data of an answer of the data service; its error, thrown. */
export async function unwrap<T>(answer: PromiseLike<Answer<T>>): Promise<NonNullable<T>> {
  const { data, error, status } = await answer
  if (error !== null) {
    throw new RequestError({ status, code: error.code, message: error.message, reasons: readReasons(error) })
  }
  if (data === null || data === undefined) throw new RequestError({ status })
  return data
}

/** This protocol has no place for a password's faults, so they travel as a list in `details`. */
function readReasons({ code, details }: PostgrestError): string[] {
  if (code !== 'weak_password' || !details) return []
  return details.split(',').map((reason) => reason.trim())
}
