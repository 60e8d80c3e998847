import Bulla
