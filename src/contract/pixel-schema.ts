// Apart from `pixel.ts`: the list of pixels needs none of this, and it is the first thing that the dashboard loads.
import * as z from 'zod/mini'
import { type OptionalCategory, TAG_CATEGORY_LABELS } from './consent.ts'
import { PIXEL_DELIVERIES, PIXEL_RUNS_IN, PIXEL_TYPES } from './pixel.ts'

export const pixelTypeSchema = z.enum(PIXEL_TYPES)
// Not from `consent-choice.ts`: what the dashboard shares with the page's first script becomes a file that a visitor fetches.
export const tagCategorySchema = z.enum(Object.keys(TAG_CATEGORY_LABELS) as OptionalCategory[])
export const pixelDeliverySchema = z.enum(PIXEL_DELIVERIES)
export const pixelRunsInSchema = z.enum(PIXEL_RUNS_IN)
