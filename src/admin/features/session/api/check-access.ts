import type { Data } from '#admin/lib/clients.ts'

/**
 * Whether this person may be here at all. The server decides that on every call; asking beforehand only spares them
 * a dashboard full of refusals. Anything but a clear refusal counts as yes.
 */
export async function checkAccess(data: Data, userId: string): Promise<'granted' | 'denied'> {
  const answer = await data.from('admin_users').select('id').eq('id', userId).retry(false)
  if (answer.error !== null) return answer.error.code === '42501' ? 'denied' : 'granted'
  return answer.data.length === 0 ? 'denied' : 'granted'
}
