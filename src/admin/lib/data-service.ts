import type { AdminUser } from '#contract/admin-user.ts'
import type { Pixel } from '#contract/pixel.ts'

/** The client's types want plain records, which interfaces are not. */
type Plain<T> = { [K in keyof T]: T[K] }

type PixelInput = Plain<
  Pick<
    Pixel,
    | 'name'
    | 'type'
    | 'pixel_id'
    | 'code'
    | 'is_active'
    | 'auto_disable'
    | 'runs_in'
    | 'consent_category'
    | 'conversion_labels'
    | 'delivery'
    | 'send_hashed_email'
  > &
    Partial<Pick<Pixel, 'webhook_url' | 'reason'>> & {
      /** Write-only: never among the columns of a row. Null removes it. */
      access_token?: string | null
    }
>
type AdminUserInput = Plain<Pick<AdminUser, 'email' | 'role'> & { password: string }>

/** What the data service offers, as the data client's types describe a database. */
export interface DataService {
  public: {
    Tables: {
      tracking_pixels: {
        Row: Plain<Pixel>
        Insert: PixelInput
        Update: Partial<PixelInput>
        Relationships: []
      }
      admin_users: {
        Row: Plain<AdminUser>
        /** `password` and `current_password` are write-only: they are never among the columns of a row. */
        Insert: AdminUserInput
        Update: Partial<AdminUserInput & { current_password: string }>
        Relationships: []
      }
    }
    Views: Record<never, never>
    Functions: Record<never, never>
  }
}
