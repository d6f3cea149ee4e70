import { networkBlock } from '#server/http/sockets/addresses.ts'

/** Who asks for a hash. Networks share the queue, and browsers that signed in before have seats of their own. */
export interface Seat {
  network: string
  isKnown: boolean
}

/** Administrators, the service key and commands. */
export const TRUSTED: Seat = { network: 'trusted', isKnown: true }

export function seatOf(address: string, isKnown: boolean): Seat {
  return { network: networkBlock(address) ?? address, isKnown }
}
