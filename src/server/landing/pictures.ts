import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Public paths of the pictures that the build drew. */
export interface Pictures {
  /** What browsers ask for by themselves: the page names no icon, or it would be fetched before the first frame. */
  icon: string
  touchIcon: string
  icon192: string
  icon512: string
  /** 1200 × 630, for shared links: the headline, with the default brand's name and without a name. */
  share: string
  shareUnnamed: string
}

export function readPictures(clientDirectory: string): Pictures {
  return JSON.parse(readFileSync(join(clientDirectory, 'pictures.json'), 'utf8'))
}
