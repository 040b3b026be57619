"""python -m lobrest.demo"""

import sys

from lobrest.demo.command import main

sys.exit(main())
