// Separate from `pixel.ts`: the list of pixels, which the dashboard loads first, does not need it.
import * as z from 'zod/mini'
import { type OptionalCategory, TAG_CATEGORY_LABELS } from './consent.ts'
import { PIXEL_DELIVERIES, PIXEL_RUNS_IN, PIXEL_TYPES } from './pixel.ts'

export const pixelTypeSchema = z.enum(PIXEL_TYPES)
// Not from `consent-choice.ts`: a module shared with the page's first script would become a file that visitors fetch.
export const tagCategorySchema = z.enum(Object.keys(TAG_CATEGORY_LABELS) as OptionalCategory[])
export const pixelDeliverySchema = z.enum(PIXEL_DELIVERIES)
export const pixelRunsInSchema = z.enum(PIXEL_RUNS_IN)
