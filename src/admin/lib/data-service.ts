import type { AdminUser } from '#contract/accounts.ts'
import type { PixelInput, PixelRow } from '#contract/pixel-columns.ts'

/** The client's types want plain records, which interfaces are not. */
type Plain<T> = { [K in keyof T]: T[K] }

type AdminUserInput = Plain<Pick<AdminUser, 'email' | 'role'> & { password: string }>

/** What the data service offers, as the data client's types describe a database. */
export interface DataService {
  public: {
    Tables: {
      tracking_pixels: {
        Row: PixelRow
        Insert: PixelInput
        Update: PixelInput
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
