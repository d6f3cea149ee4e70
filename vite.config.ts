import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { copyForLazyParts } from './scripts/copy-for-lazy-parts.ts'
import { lightPreload } from './scripts/light-preload.ts'
import { minifyAgain } from './scripts/minify-again.ts'

/** What browsers load: the page's boot script, style and islands, and the dashboard. `scripts/build.ts` adds the server's bundle. */
export default defineConfig({
  plugins: [react(), tailwindcss(), lightPreload(), minifyAgain(), copyForLazyParts()],
  // wouter's stand-in for a hook that React has.
  resolve: { alias: { 'use-sync-external-store/shim/index.js': 'react' } },
  publicDir: false,
  // React's ways into its developer tools, servers and the history of a document: nobody here uses one.
  define: {
    __REACT_DEVTOOLS_GLOBAL_HOOK__: 'undefined',
    navigation: 'undefined',
    process: 'undefined',
    setImmediate: 'undefined',
  },
  appType: 'custom',
  build: {
    outDir: 'dist/client',
    manifest: true,
    modulePreload: false,
    target: 'es2022',
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        boot: 'src/landing/browser/boot/boot.ts',
        landing: 'src/landing/styles/landing-page.css',
        'after-boot': 'src/landing/styles/after-boot.css',
        plain: 'src/landing/styles/plain-pages.css',
        admin: 'src/admin/main.tsx',
      },
      output: {
        // What page and dashboard share is one file: three would be larger together, and two more to ask for.
        codeSplitting: {
          groups: [
            { name: 'shared', test: /node_modules\/(react|react-dom|scheduler)\/|contract\/email\.ts/ },
            // What the list needs is one file as well: it compresses better than eight.
            { name: 'core', tags: ['$initial'], test: /src\/admin\/.*\.tsx?$|node_modules\// },
          ],
        },
      },
    },
  },
})
