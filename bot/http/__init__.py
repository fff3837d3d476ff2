"""What every HTTP door of the service needs: who asks, from where, and the documents it serves."""
