import { readdirSync } from 'node:fs'
import type { StandIn } from './stand-in.ts'

/** Parts of the stand-ins: every other file of this folder is a vendor's. */
const PARTS = [
  'answer',
  'google-tag',
  'hear',
  'independent-groups',
  'library',
  'snippet',
  'stand-in',
  'stand-ins',
]

const names = readdirSync(new URL('.', import.meta.url)).map((file) => file.replace(/\.ts$/, ''))

const modules = await Promise.all(
  names
    .filter((name) => !PARTS.includes(name))
    .sort()
    .map(async (name): Promise<Record<string, StandIn>> => import(`./${name}.ts`)),
)

/** All stand-ins. */
export const STAND_INS: readonly StandIn[] = modules.flatMap((module) => Object.values(module))
